static int hidden;
int plain(int a)
{
	hidden += a;
	return hidden;
}
