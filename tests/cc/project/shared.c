int from_shared(void);
static int number = 2;

int from_shared(void)
{
	return number++;
}
