import type { ScheduleInput } from '@punctual/client';
import { stringify } from 'yaml';

/** It as YAML 1.2. A long text stays on its line. The library is large, so only who asks for it loads this module. */
export function asYaml(input: ScheduleInput): string {
  return stringify(input, { lineWidth: 0, aliasDuplicateObjects: false });
}
