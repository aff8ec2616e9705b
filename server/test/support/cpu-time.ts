/**
 * The time that this thread has had a core, in ms: what work costs it, however busy the machine is. A wait costs
 * nothing.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
