static int n = 3;
int main(void)
{
	return n++;
}
