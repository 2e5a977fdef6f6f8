// SIGINT is blocked, and a launch polls for it where the launch can stop. No handler and no state are needed.
// The signal stays blocked until a launch has taken it; a second SIGINT ends the program.
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
    if (interrupt_hold()) wf_set_interrupt(c, interrupt_asked, NULL); // false under nohup and &
}
