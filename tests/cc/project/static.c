int from_static(void);
static int number = 1;

int from_static(void)
{
	return number++;
}
