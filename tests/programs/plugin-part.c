int plugin_answer(void);
int answer = 41;

int plugin_answer(void)
{
	return ++answer;
}
