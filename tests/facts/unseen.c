/* Compiled without hooks. */
void unknown(int);
int unknown_value(int, int);

void unknown(int a)
{
	(void)a;
}

int unknown_value(int a, int b)
{
	return a + b;
}

int elsewhere;
