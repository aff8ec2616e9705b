import {
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { KeepResponse, Overlap } from '@punctual/client';
import { DELIVERY_WORDS, JSON_KINDS, KEPT, OVERLAPS } from '../../schedule/delivery-words.ts';
import { type DeliveryField, type JsonDraft, NEW_JSON } from '../delivery-draft.ts';
import type { Draft } from '../draft.ts';

/** The help stands below, so that fields side by side are in line. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  errorOf: (field: string) => string | undefined;
}

/** The fields of this section, to count those that are set and to find those that are wrong. */
export const DELIVERY_SECTION = [
  'template',
  'successStatuses',
  'bodyContains',
  'bodyLacks',
  'json',
  'overlap',
  'disableAfterFailures',
  'disableOnGone',
  'keepResponse',
  'obeyTarget',
  'completionSeconds',
] as const satisfies DeliveryField[];

export const RETRY_SECTION = [
  'retryDelays',
  'retryStatuses',
  'retryForSeconds',
] as const satisfies DeliveryField[];

type TextField = {
  [Field in DeliveryField]: Draft[Field] extends string ? Field : never;
}[DeliveryField];

/** The request, the demands on its answer, and the rights of the target. */
export function DeliveryFields({ draft, set, errorOf }: FieldsProps) {
  const props = { draft, set, errorOf };
  return (
    <Stack gap="lg">
      <Part title="Request">
        <Flag field="template" byDefault={false} {...props} />
      </Part>
      <Part title="Success">
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <Written field="successStatuses" {...props} />
          <Contained field="bodyContains" {...props} />
          <Contained field="bodyLacks" {...props} />
        </SimpleGrid>
        <JsonField json={draft.json} error={errorOf('json')} onChange={json => set({ json })} />
      </Part>
      <Part title="Run">
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NativeSelect
            label={DELIVERY_WORDS.overlap.label}
            description={DELIVERY_WORDS.overlap.help}
            inputWrapperOrder={ORDER}
            data={OVERLAPS}
            value={draft.overlap || 'skip'}
            error={errorOf('overlap')}
            onChange={event => {
              const overlap = event.currentTarget.value as Overlap;
              set({ overlap: overlap === 'skip' ? '' : overlap });
            }}
          />
          <Written field="completionSeconds" isNumber {...props} />
          <NativeSelect
            label={DELIVERY_WORDS.keepResponse.label}
            description={DELIVERY_WORDS.keepResponse.help}
            inputWrapperOrder={ORDER}
            data={KEPT}
            value={draft.keepResponse || 'all'}
            error={errorOf('keepResponse')}
            onChange={event => {
              const kept = event.currentTarget.value as KeepResponse;
              set({ keepResponse: kept === 'all' ? '' : kept });
            }}
          />
        </SimpleGrid>
      </Part>
      <Part title="Target">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Stack gap="sm">
            <Flag field="obeyTarget" byDefault {...props} />
            <Flag field="disableOnGone" byDefault={false} {...props} />
          </Stack>
          <Written field="disableAfterFailures" isNumber {...props} />
        </SimpleGrid>
      </Part>
    </Stack>
  );
}

/** When a failed attempt is tried again, besides the number of retries. */
export function RetryFields(props: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <Written field="retryDelays" {...props} />
      <Written field="retryStatuses" {...props} />
      <Written field="retryForSeconds" isNumber {...props} />
    </SimpleGrid>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap="sm" component="fieldset" m={0} p={0} bd="none" miw={0}>
      <Text component="legend" fw={600} size="sm" p={0} mb={6}>
        {title}
      </Text>
      {children}
    </Stack>
  );
}

function Written({
  field,
  isNumber = false,
  draft,
  set,
  errorOf,
}: FieldsProps & { field: TextField; isNumber?: boolean }) {
  const { label, help } = DELIVERY_WORDS[field];
  return (
    <TextInput
      label={label}
      description={help}
      inputWrapperOrder={ORDER}
      spellCheck={false}
      {...(isNumber && { inputMode: 'numeric' as const })}
      value={draft[field]}
      error={errorOf(field)}
      onChange={event => set({ [field]: event.currentTarget.value })}
    />
  );
}

/** A text may have several lines. */
function Contained({ field, draft, set, errorOf }: FieldsProps & { field: TextField }) {
  const { label, help } = DELIVERY_WORDS[field];
  return (
    <Textarea
      label={label}
      description={help}
      inputWrapperOrder={ORDER}
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      value={draft[field]}
      error={errorOf(field)}
      onChange={event => set({ [field]: event.currentTarget.value })}
    />
  );
}

function Flag({
  field,
  byDefault,
  draft,
  set,
  errorOf,
}: FieldsProps & {
  field: 'template' | 'disableOnGone' | 'obeyTarget';
  byDefault: boolean;
}) {
  const { label, help } = DELIVERY_WORDS[field];
  return (
    <Checkbox
      label={label}
      description={help}
      checked={draft[field] ?? byDefault}
      error={errorOf(field)}
      onChange={event => {
        const value = event.currentTarget.checked;
        set({ [field]: value === byDefault ? null : value });
      }}
    />
  );
}

function JsonField({
  json,
  error,
  onChange,
}: {
  json: JsonDraft | null;
  error: string | undefined;
  onChange: (json: JsonDraft | null) => void;
}) {
  const { label, help } = DELIVERY_WORDS.json;
  return (
    <Stack gap={6}>
      <Checkbox
        label={label}
        description={help}
        checked={json !== null}
        onChange={event => onChange(event.currentTarget.checked ? { ...NEW_JSON } : null)}
      />
      {json !== null && (
        <Group gap="xs" align="start" pl={32}>
          <TextInput
            aria-label="Pointer to the value"
            placeholder="/ok"
            spellCheck={false}
            value={json.pointer}
            error={error}
            onChange={event => onChange({ ...json, pointer: event.currentTarget.value })}
            style={{ flex: '1 1 140px' }}
          />
          <NativeSelect
            aria-label="The value"
            data={JSON_KINDS}
            value={json.kind}
            onChange={event => {
              const kind = event.currentTarget.value as JsonDraft['kind'];
              onChange({ ...json, kind });
            }}
            style={{ flex: '0 1 150px' }}
          />
          {(json.kind === 'text' || json.kind === 'number') && (
            <TextInput
              aria-label="The right value"
              spellCheck={false}
              value={json.equals}
              onChange={event => onChange({ ...json, equals: event.currentTarget.value })}
              style={{ flex: '1 1 140px' }}
            />
          )}
        </Group>
      )}
    </Stack>
  );
}
