/** The conditions of a release: values in, a sentence out for each that does not hold. */

/** @returns why `next` cannot follow `present`, or null */
export function refusedVersion(present: string, next: string | undefined): string | null {
  if (next === undefined) return 'Name the version: npm run release -- 1.2.3';
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(next)) {
    return `${next} is not a version: three numbers with dots between, as in 1.2.3.`;
  }
  const [now, then] = [present, next].map(version => version.split('.').map(Number)) as [
    number[],
    number[],
  ];
  const first = now.findIndex((part, index) => part !== then[index]);
  const isLater = first !== -1 && then[first]! > now[first]!;
  return isLater ? null : `${next} does not come after ${present}.`;
}

/** @returns what npm is to do so that all packages and the lock have this version; it asks no registry */
export function bumpTo(version: string): string[] {
  const everywhere = ['--workspaces', '--include-workspace-root', '--package-lock-only'];
  return [
    'version',
    version,
    '--no-git-tag-version',
    '--ignore-scripts',
    '--offline',
    ...everywhere,
  ];
}

/** @returns what CHANGELOG.md says of a version, without its heading; null where it says nothing */
export function changesOf(changelog: string, version: string): string | null {
  const heading = `## ${version}`;
  const lines = changelog.split('\n');
  const start = lines.findIndex(line => line === heading || line.startsWith(`${heading} `));
  if (start === -1) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(line => line.startsWith('## '));
  const text = (end === -1 ? rest : rest.slice(0, end)).join('\n').trim();
  return text === '' ? null : text;
}
