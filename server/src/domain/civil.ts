/**
 * The Gregorian calendar in whole numbers, without time zones and without `Date`: day 0 is
 * 1970-01-01, days before it are negative.
 *
 * Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". Its years begin in March,
 * so that the leap day is the last of its year. From 0000-03-01 to 1970-01-01 there are 719,468
 * days. A full cycle of 400 years has 146,097 days.
 */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  /** 1 to 31 */
  readonly day: number;
}

/** @example civilFromDay(20_541) // { year: 2026, month: 3, day: 29 } */
export function civilFromDay(dayNumber: number): CivilDate {
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = yearInEra(dayOfEra);
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day };
}

function yearInEra(dayOfEra: number): number {
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  return Math.floor((dayOfEra - leapDays) / 365);
}

/** 0 is Sunday. Day 0 was a Thursday. */
export function weekdayOf(dayNumber: number): number {
  const weekday = (dayNumber + 4) % 7;
  return weekday < 0 ? weekday + 7 : weekday;
}

export function monthLength(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
