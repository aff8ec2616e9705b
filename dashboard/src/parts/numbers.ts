/** Numbers as the page writes them. */

/** `12,345` */
export function whole(count: number): string {
  return count.toLocaleString('en-GB');
}

/** `1 schedule`, `12,345 schedules` */
export function schedulesText(count: number): string {
  return `${whole(count)} ${count === 1 ? 'schedule' : 'schedules'}`;
}
