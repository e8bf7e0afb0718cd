int warn(void)
{
	int unused;
	return 0;
}
