import { readFileSync } from 'node:fs';

/**
 * Ends with its starter, where that is npm or npx. On SIGTERM both end at once with the shell between, and tell
 * nobody: Punctual would go on under init, and hold the port and the store against the next start.
 *
 * A service that was meant to be detached goes on. Either it has no npm above it, as below systemd; or it leads a
 * session of its own (setsid); or its starter was gone before it looked, as with `&` in a script.
 *
 * @param end called once, when the starter is gone
 */
export function endWithStarter(end) {
  if (process.env.npm_lifecycle_event === undefined || leadsSession()) return;
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}

const LOOK_MS = 100;

/** Of Linux only: elsewhere nothing tells. */
function leadsSession() {
  try {
    // The name of the program, in brackets, may hold blanks: the fields begin behind it with the state.
    const [, , , session] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return Number(session) === process.pid;
  } catch {
    return false;
  }
}
