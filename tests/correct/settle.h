/* For main: wait until every other thread sleeps or has ended. A scheduler that is kind does so, and Norn does not see it: it orders nothing.
 * (Calls of functions with such names are not recorded.) */
#pragma once
void settle(void) __asm__("__norn_settle");
