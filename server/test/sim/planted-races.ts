import type { PlantedBug } from './planted.ts';

/** Of changes that callers ask for at once. */
export const PLANTED_RACES: (PlantedBug & { faults: string[] })[] = [
  {
    name: 'a change overwrites one that came before it',
    rules: ['changeLost', 'changeUnasked', 'overwritten'],
    faults: ['races'],
    patches: [
      {
        file: 'store/sqlite/schedule-changes.ts',
        find: 'AND version = ?\n    RETURNING schedule_key`',
        replace: 'AND version >= ?\n    RETURNING schedule_key`',
      },
    ],
  },
  {
    name: 'If-Match is forgotten where another change was faster',
    rules: ['overwritten'],
    faults: ['races'],
    patches: [
      {
        file: 'api/update-schedule.ts',
        find: 'return changeOnce(deps, caller, found, change);',
        replace:
          'const asked = { ...change };\n    delete change.conditions;\n    return changeOnce(deps, caller, found, asked);',
      },
    ],
  },
  {
    name: 'If-Match knows the first version only',
    rules: ['changeRefused'],
    faults: ['races'],
    patches: [
      {
        file: 'api/http/etag.ts',
        find: 'return condition.includes(etagOf(version));',
        replace: 'return version === FIRST_VERSION && condition.includes(etagOf(version));',
      },
    ],
  },
  {
    name: 'a change makes a deleted schedule live again',
    rules: ['changeLost', 'firedStopped'],
    faults: ['races'],
    patches: [
      {
        file: 'domain/schedule/draft.ts',
        find: "if (schedule.status !== 'deleted') return;",
        replace: 'if (schedule.id) return;',
      },
    ],
  },
];
