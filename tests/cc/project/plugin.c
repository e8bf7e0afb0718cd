int from_plugin(void);
static int number = 3;

int from_plugin(void)
{
	return number++;
}
