int exported = 31;
int *pointer = &exported;
void *outside(void);
void *(*unknown)(void) = outside;
int (*own)(void);
static int own_function(void)
{
	return exported + *pointer;
}
int (*own)(void) = own_function;
