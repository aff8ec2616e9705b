import type { Row } from '../columns.ts';
import type { NamedSchedule } from '../contract/schedules.ts';

export function namedFrom({ id, label, url }: Row): NamedSchedule {
  return { id: id as string, label: label as string, url: url as string };
}
