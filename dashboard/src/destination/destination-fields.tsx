import {
  Checkbox,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { Destination } from '@punctual/client';
import { type FieldsProps, NameField, textsOf } from '../inputs/form-fields.tsx';
import { More } from '../inputs/more.tsx';
import { AuthFields, PemField } from './auth-fields.tsx';
import { type DestinationDraft, isKept } from './destination-draft.ts';
import { AUTH_KINDS } from './destination-words.ts';

/** The fields of a destination: its hosts, how it signs in there, with which certificates, and how fast. */
export function DestinationFields(props: FieldsProps<DestinationDraft, Destination>) {
  const { draft, stored, set, errorOf } = props;
  const text = textsOf(props);
  const count = (...texts: string[]) => texts.filter(text => text.trim() !== '').length;
  const firstOf = (...fields: string[]) => fields.map(errorOf).find(each => each !== undefined);
  return (
    <Stack gap="md">
      {stored === null && <NameField {...text('name')} />}
      <Textarea
        label="Hosts"
        description="One a line, such as api.example.com, *.example.com or 10.0.0.5:8443. Secrets go nowhere else."
        required
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        {...text('hosts')}
      />
      <NativeSelect
        label="Sign-in"
        description="Sent with each request of its schedules, and kept encrypted."
        data={AUTH_KINDS}
        {...text('auth')}
      />
      <AuthFields {...props} />
      <Checkbox
        label="Over http too"
        description="For private networks: without it, secrets are sent over https only."
        checked={draft.allowHttp}
        error={errorOf('allowHttp')}
        onChange={event => set({ allowHttp: event.currentTarget.checked })}
      />
      <More
        title="Certificates"
        count={count(draft.certificate, draft.ca)}
        error={firstOf('certificate', 'key', 'ca')}
      >
        <Stack gap="sm">
          <PemField
            label="Client certificate"
            description="PEM. For hosts that ask for one."
            {...text('certificate')}
          />
          <PemField
            label="Key of the client certificate"
            description="PEM."
            isKept={isKept(draft, stored, 'key')}
            {...text('key')}
          />
          <PemField
            label="Authorities"
            description="PEM. They are trusted instead of the system's, for hosts with certificates of your own."
            {...text('ca')}
          />
        </Stack>
      </More>
      <More
        title="Limits"
        count={count(draft.maxConcurrent, draft.perSecond)}
        error={firstOf('maxConcurrent', 'perSecond')}
      >
        <Stack gap="sm">
          <Text size="sm" className="muted">
            Of the whole installation. What waits for its turn keeps its due time.
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label="Requests at a time" inputMode="numeric" {...text('maxConcurrent')} />
            <TextInput label="Requests a second" inputMode="decimal" {...text('perSecond')} />
          </SimpleGrid>
        </Stack>
      </More>
    </Stack>
  );
}
