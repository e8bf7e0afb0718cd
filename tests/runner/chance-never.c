/* norn-test
 * errors: yes
 * cc: -O0
 * chance: ^race other
 * repeat: 2
 * check-exit: 0
 * must-fail: no recording has a finding that matches /.race other/
 */
int number;

int main(void)
{
	number = 1;
}
