/* Includes itself, by way of faults.h. */
#ifndef FAULTS_AGAIN_H
#define FAULTS_AGAIN_H
#include "faults.h" /* misc-header-include-cycle */
#endif
