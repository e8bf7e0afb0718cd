/* Sessions by name, which are forgotten from time to time. */
#ifndef STORE_H
#define STORE_H

int store_visit(const char *name); /* how often this name has come, with this visit */
int store_expire(void); /* forgets all sessions; how many that were */

#endif
