/**
 * Punctual as the child of a Node that cannot become it (own-runtime.js).
 *
 * Guarantee: it ends at once when that one was killed, as if it had been killed itself. Nobody knew it otherwise,
 * and it would hold the port and the store against the one that a supervisor starts next.
 */
const end = () => process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);
if (process.connected) process.channel.unref();
else end();
await import('./punctual.js');
