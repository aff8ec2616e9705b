import type { Policy, Verb } from './schedule.ts';
import type { TimingBody } from './timing-draft.ts';

/** The bodies of a create, a replace and a patch, in the shape that the API has checked. */

export interface IntegrationBody {
  id?: string;
  type: 'WEBHOOK';
  url: string;
  name?: string;
  includeScheduleUrlInCallback?: boolean;
  callOnSuccess?: boolean;
}

/** Read-only fields (`id`, `createdAt`, `updatedAt`) may stand beside these and are not looked at. */
export interface ScheduleBody extends TimingBody {
  url: string;
  verb: Verb;
  interval: string;
  timezone: string;
  status?: 'enabled' | 'disabled';
  headers?: Record<string, string>;
  data?: Record<string, string>;
  integrations?: IntegrationBody[];
  label?: string;
  policy?: Policy;
  externalId?: string;
  tags?: Record<string, string>;
  /** Raw, instead of `data`. */
  body?: string;
  /** The name of a destination. */
  destination?: string;
}

/** Of a patch: null removes. */
export type Merge<Value> = { [Key in keyof Value]?: Value[Key] | null };

/** The same at every depth: objects are merged key by key, arrays are replaced. */
export type DeepMerge<Value> = {
  [Key in keyof Value]?:
    | (NonNullable<Value[Key]> extends readonly unknown[] | string | number | boolean
        ? Value[Key]
        : DeepMerge<NonNullable<Value[Key]>>)
    | null;
};

export interface PatchBody extends Merge<TimingBody> {
  url?: string;
  verb?: Verb;
  interval?: string;
  timezone?: string;
  status?: 'enabled' | 'disabled';
  headers?: Merge<Record<string, string>> | null;
  data?: Merge<Record<string, string>> | null;
  integrations?: IntegrationBody[] | null;
  label?: string | null;
  policy?: DeepMerge<Policy> | null;
  externalId?: string | null;
  tags?: Merge<Record<string, string>> | null;
  body?: string | null;
  destination?: string | null;
}
