/*
 * Preloaded into a process, it makes every name in slow.test take as many seconds as SLOW_NAMES says, as
 * with name servers that never answer. All other names are the system's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  const char *seconds = getenv("SLOW_NAMES");
  if (name != NULL && seconds != NULL && strstr(name, ".slow.test") != NULL) {
    sleep((unsigned)atoi(seconds));
    return EAI_AGAIN;
  }
  lookup *real = (lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
  return real(name, service, hints, found);
}
