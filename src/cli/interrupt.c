// SIGINT is held back, so that a launch asks for it when it can stop; no handler, and nothing to remember. It
// stays held back until a launch has taken it: a second one ends the program as always.
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t interrupts(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

bool interrupt_asked(void *nothing)
{
    sigset_t set = interrupts();
    (void)nothing;
    if (sigtimedwait(&set, NULL, &(struct timespec){0}) != SIGINT) return false;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return true;
}

bool interrupt_hold(void)
{
    sigset_t set = interrupts();
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) != 0 || action.sa_handler == SIG_IGN) return false;
    sigprocmask(SIG_BLOCK, &set, NULL);
    return true;
}

void interrupt_watch(struct wf_context *c)
{
    if (interrupt_hold()) wf_set_interrupt(c, interrupt_asked, NULL); // not with nohup and &
}
