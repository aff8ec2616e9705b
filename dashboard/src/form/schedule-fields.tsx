import { Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { Problem, Verb } from '@punctual/client';
import { More } from '../inputs/more.tsx';
import { Pairs } from '../inputs/pairs.tsx';
import {
  POLICY_FIELDS,
  POLICY_NAMES,
  POLICY_WORDS,
  type PolicyField,
} from '../schedule/policy-fields.ts';
import { delayCount, setCount } from './delivery-draft.ts';
import type { Draft } from './draft.ts';
import { NameOffers } from './editor/name-offers.tsx';
import { TemplateHint } from './editor/template-hint.tsx';
import {
  DELIVERY_SECTION,
  DeliveryFields,
  RETRY_SECTION,
  RetryFields,
} from './fields/delivery-fields.tsx';
import { DestinationField } from './fields/destination-field.tsx';
import { ExcludeFields } from './fields/exclude-fields.tsx';
import { IntervalField } from './fields/interval-field.tsx';
import { PayloadFields } from './fields/payload-fields.tsx';
import { BoundsFields, WindowField } from './fields/timing-fields.tsx';
import { Webhooks } from './fields/webhooks.tsx';
import { ZoneField } from './fields/zone-field.tsx';

const VERBS: Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
/** All that one writes into a schedule, each with what is wrong about it. */
export function Fields({
  id,
  draft,
  set,
  problems,
}: {
  /** Of the stored schedule; null: of a new one. */
  id: string | null;
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  problems: Problem[];
}) {
  const sentence = (where: string) => problems.find(each => each.where === where)?.sentence;
  const within = (field: string) => problems.find(({ where }) => where.startsWith(field))?.sentence;
  const firstOf = (fields: string[]) => fields.map(within).find(each => each !== undefined);
  const isTemplate = draft.template === true;
  const isSet = (...values: (string | string[])[]) =>
    values.filter(value => value.length > 0 && value !== 'disable').length;
  return (
    <Stack gap="md">
      <TextInput
        label="Label"
        description="A name of your choice. Optional."
        value={draft.label}
        error={sentence('label')}
        onChange={event => set({ label: event.currentTarget.value })}
      />
      <Group gap="xs" align="start" wrap="nowrap">
        <NativeSelect
          label="Verb"
          value={draft.verb}
          data={VERBS}
          w={116}
          onChange={event => set({ verb: event.currentTarget.value as Verb })}
        />
        <NameOffers isOn={isTemplate} value={draft.url} onChange={url => set({ url })}>
          {props => (
            <TextInput
              label="Url"
              type="url"
              required
              placeholder="https://example.com/hook"
              spellCheck={false}
              error={sentence('url')}
              {...props}
              style={{ flex: 1 }}
            />
          )}
        </NameOffers>
      </Group>
      <TemplateHint draft={draft} set={set} />
      <IntervalField draft={draft} set={set} error={sentence('interval')} />
      <ZoneField draft={draft} set={set} error={sentence('timezone')} />
      <More
        title="Start, end and number of runs"
        count={isSet(draft.startsAt, draft.endsAt, draft.maxRuns, draft.afterCompletion)}
        error={firstOf(['startsAt', 'endsAt', 'maxRuns', 'afterCompletion'])}
      >
        <BoundsFields draft={draft} set={set} errorOf={within} />
      </More>
      <More
        title="Calendars"
        count={draft.exclude.length}
        error={firstOf(['exclude', 'onExcluded'])}
      >
        <ExcludeFields draft={draft} set={set} errorOf={within} />
      </More>
      <More title="Window" count={isSet(draft.windowSeconds)} error={within('windowSeconds')}>
        <WindowField id={id} draft={draft} set={set} errorOf={within} />
      </More>
      <More title="Destination" count={isSet(draft.destination)} error={within('destination')}>
        <DestinationField draft={draft} set={set} error={sentence('destination')} />
      </More>
      <More title="Headers" count={draft.headers.length} error={within('headers')}>
        <Pairs
          name="header"
          about="Sent with each request."
          withNames={isTemplate}
          pairs={draft.headers}
          errorOf={index => sentence(`headers[${index}]`)}
          error={sentence('headers')}
          onChange={headers => set({ headers })}
        />
      </More>
      <More
        title="Payload"
        count={draft.data.length + isSet(draft.body)}
        error={firstOf(['data', 'body'])}
      >
        <PayloadFields draft={draft} set={set} sentence={sentence} />
      </More>
      <More
        title="Tags and external id"
        count={draft.tags.length + isSet(draft.externalId)}
        error={firstOf(['tags', 'externalId'])}
      >
        <Stack gap="sm">
          <Pairs
            name="tag"
            about="Keys and values, such as team and billing, to find schedules by."
            pairs={draft.tags}
            errorOf={index => sentence(`tags[${index}]`)}
            error={sentence('tags')}
            onChange={tags => set({ tags })}
          />
          <TextInput
            label="External id"
            description="Your own id of it. Over the API, ext: and this id name the schedule."
            spellCheck={false}
            value={draft.externalId}
            error={sentence('externalId')}
            onChange={event => set({ externalId: event.currentTarget.value })}
          />
        </Stack>
      </More>
      <More title="Webhooks" count={draft.integrations.length} error={within('integrations')}>
        <Webhooks
          items={draft.integrations}
          errorOf={(index, field) => sentence(`integrations[${index}].${field}`)}
          onChange={integrations => set({ integrations })}
        />
      </More>
      <More
        title="Retries and limits"
        count={
          POLICY_NAMES.filter(field => draft[field] !== '').length + setCount(draft, RETRY_SECTION)
        }
        error={firstOf([...POLICY_NAMES, ...RETRY_SECTION])}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }} mb="md">
          {POLICY_NAMES.map(field => (
            <TextInput
              key={field}
              label={POLICY_WORDS[field].label}
              description={`${POLICY_WORDS[field].unit}, ${usualOf(field, draft).toLocaleString('en-GB')}`}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              inputMode="numeric"
              value={draft[field]}
              error={sentence(field)}
              onChange={event => set({ [field]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
        <RetryFields draft={draft} set={set} errorOf={sentence} />
      </More>
      <More
        title="Delivery"
        count={setCount(draft, DELIVERY_SECTION)}
        error={firstOf([...DELIVERY_SECTION])}
      >
        <DeliveryFields draft={draft} set={set} errorOf={sentence} />
      </More>
    </Stack>
  );
}

/** The number that counts where a field is empty: there are as many retries as delays before them. */
function usualOf(field: PolicyField, draft: Draft): number {
  const delays = field === 'maxRetries' ? delayCount(draft) : 0;
  return delays || POLICY_FIELDS[field].byDefault;
}
