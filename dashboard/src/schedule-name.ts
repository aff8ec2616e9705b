/** A schedule without a label is called by what it calls. */
export function nameOf({ label, url }: { label: string; url: string }): string {
  return label.trim() || url.replace(/^https?:\/\//, '');
}
