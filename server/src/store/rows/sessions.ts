import type { Row } from '../columns.ts';
import type { FoundSession } from '../contract/sessions.ts';
import { callerFrom } from './keys.ts';

/** Rows of sessions, as both backends read them. */

export function foundSessionFrom(row: Row): FoundSession {
  return {
    caller: { ...callerFrom(row), sessionId: row.session_id as string },
    createdAt: row.created_at as number,
    lastUsedAt: row.last_used_at as number,
  };
}
