import { NativeSelect, PasswordInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { Destination } from '@punctual/client';
import { type BoundText, type FieldsProps, MONOSPACE, textsOf } from '../inputs/form-fields.tsx';
import { Pairs } from '../inputs/pairs.tsx';
import { type DestinationDraft, isKept } from './destination-draft.ts';

type AuthProps = FieldsProps<DestinationDraft, Destination>;

const KEPT = 'It is set. Leave it empty to keep it.';

/** The fields of the chosen way to sign in. Secrets begin empty: nobody sees a stored one again. */
export function AuthFields(props: AuthProps) {
  switch (props.draft.auth) {
    case 'none':
      return null;
    case 'basic':
      return (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Plain field="username" label="User name" isRequired {...props} />
          <Secret field="password" label="Password" {...props} />
        </SimpleGrid>
      );
    case 'bearer':
      return <Secret field="token" label="Token" {...props} />;
    case 'headers':
      return <HeaderFields {...props} />;
    case 'oauth2':
      return <OAuth2Fields {...props} />;
    case 'oidc':
      return (
        <Plain
          field="audience"
          label="Audience"
          description="Punctual signs a token for this audience. The host checks it with the keys at /.well-known/jwks.json."
          isRequired
          {...props}
        />
      );
  }
}

function HeaderFields({ draft, stored, set, errorOf }: AuthProps) {
  const about = isKept(draft, stored, 'headers')
    ? 'They are set. Leave them empty to keep them; what stands here takes the place of all.'
    : 'Names and values that nobody sees again, such as X-Api-Key.';
  return (
    <Pairs
      name="secret header"
      about={about}
      isSecret
      pairs={draft.headers}
      error={errorOf('headers')}
      errorOf={index => errorOf(`headers[${index}]`)}
      onChange={headers => set({ headers })}
    />
  );
}

function OAuth2Fields(props: AuthProps) {
  return (
    <Stack gap="sm">
      <Plain
        field="tokenUrl"
        label="Token url"
        description="Such as https://login.example.com/oauth/token. A token is fetched ahead of a firing, and used until it ends."
        isRequired
        {...props}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Plain field="clientId" label="Client id" isRequired {...props} />
        <Secret field="clientSecret" label="Client secret" {...props} />
        <Plain field="scope" label="Scope" description="Optional." {...props} />
        <Plain field="audience" label="Audience" description="Optional." {...props} />
      </SimpleGrid>
      <NativeSelect
        label="Id and secret are sent"
        data={[
          { value: 'basic', label: 'in the Authorization header' },
          { value: 'body', label: 'in the body' },
        ]}
        {...textsOf(props)('sendAs')}
        style={{ maxWidth: 340 }}
      />
    </Stack>
  );
}

function Plain({
  field,
  label,
  description,
  isRequired = false,
  ...props
}: AuthProps & {
  field: 'username' | 'tokenUrl' | 'clientId' | 'scope' | 'audience';
  label: string;
  description?: string;
  isRequired?: boolean;
}) {
  return (
    <TextInput
      label={label}
      description={description}
      required={isRequired}
      spellCheck={false}
      autoComplete="off"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...textsOf(props)(field)}
    />
  );
}

function Secret({
  field,
  label,
  ...props
}: AuthProps & { field: 'password' | 'token' | 'clientSecret'; label: string }) {
  const text = textsOf(props)(field);
  const kept = isKept(props.draft, props.stored, field);
  return (
    <PasswordInput
      label={label}
      description={kept ? KEPT : 'Nobody sees it again.'}
      required={!kept}
      autoComplete="new-password"
      // The library marks only the box around it.
      aria-invalid={text.error !== undefined}
      visibilityToggleButtonProps={{ 'aria-label': `Show the ${label.toLowerCase()}` }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...text}
    />
  );
}

/** A certificate or a key, as text. */
export function PemField({
  label,
  description,
  isKept: kept = false,
  ...text
}: BoundText & { label: string; description: string; isKept?: boolean }) {
  return (
    <Textarea
      label={label}
      description={kept ? `${description} ${KEPT}` : description}
      placeholder={kept ? '' : '-----BEGIN …'}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoComplete="off"
      {...text}
      styles={MONOSPACE}
    />
  );
}
