/** The first words of queries that are asked again together. */

/** The first words of the queries whose answers change with a schedule. */
export const SCHEDULE_QUERIES = [
  'schedules',
  'schedule',
  'health',
  'stats',
  'next',
  'forecast',
  'advice',
];

/**
 * The first word of the queries of a cell of the forecast. A spread alone asks them again: a cell has many pages, and
 * other changes never end.
 */
export const CELL_FIRINGS = 'cell-firings';
