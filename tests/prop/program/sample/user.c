extern int exported, *pointer;
int *address = &exported;
int main(void)
{
	return exported + *pointer + *address;
}
