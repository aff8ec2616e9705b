/** A time that the change of the rules has moved. */
export interface ZoneMove {
  /** By the release before; absent where it had no such time. */
  before?: string;
  /** By the release in use; absent where it has no such time any more. */
  after?: string;
}

export interface MovedSchedule {
  id: string;
  label: string;
  /** The first 20 times of the next 90 days that moved. */
  moved: ZoneMove[];
}

/** A time zone whose rules have changed, with schedules of this client in it. */
export interface ChangedZone {
  timezone: string;
  /** Enabled schedules of this client in this time zone. */
  scheduleCount: number;
  /** Those of the newest 100 that have a time that moved. */
  schedules: MovedSchedule[];
}

/** The rules of time zones in use, and the effect of their last change. */
export interface ZoneReport {
  /** The release of the IANA database, such as `2026f`. */
  version: string;
  /** The release before, where there was one. */
  previousVersion?: string;
  /** When the service has begun to count by `version`. */
  changedAt?: string;
  zones: ChangedZone[];
}
