import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { closed, ignored, named, oneOf, proven, strings } from './fields.ts';
import {
  ignoredResourceFields,
  resourceDeletion,
  resourceFields,
  resourcePage,
} from './named-resource.ts';
import { page } from './schedule.ts';

/** Destinations: how hosts are talked to. */

type AuthInput<Kind extends string> = Extract<Wire.DestinationAuthInput, { type: Kind }>;
type Auth<Kind extends string> = Extract<Wire.DestinationAuth, { type: Kind }>;

const AUTH_TYPES = ['basic', 'bearer', 'headers', 'oauth2', 'oidc'] as const;
const SEND_AS = ['basic', 'body'] as const;
/** In characters. */
const MOST = { name: 1_024, secret: 8_192, certificate: 32_768, ca: 131_072, host: 270 };

const kind = <Name extends string>(name: Name) =>
  Type.Unsafe<Name>({ type: 'string', enum: [name], description: 'How it authenticates.' });
const text = (description: string, maxLength = MOST.name) =>
  Type.String({ description, maxLength });
const secret = (description: string) => text(`${description} Write-only.`, MOST.secret);
const hasSecret = () => Type.Boolean({ description: 'Whether its secret is set.' });

const username = () => text('The user name, without a colon. It may be empty.');
const tokenUrl = () => text('The token endpoint.', 2_048);
const clientId = () => text('The id of the client there.');
const scope = () => text('The scope that is asked for.', 2_048);
const audience = (description: string) => text(description, 2_048);
const sendAs = () =>
  oneOf(SEND_AS, { description: 'How the client credentials are sent: `basic` by default.' });
const FOR_WHOM = 'The audience that is asked for.';
const AUDIENCE = 'The audience of the token.';

const INPUTS = [
  named<AuthInput<'basic'>>('BasicAuthInput')(
    Type.Object(
      {
        type: kind('basic'),
        username: username(),
        password: Type.Optional(secret('The password.')),
        hasSecret: ignored(),
      },
      { ...closed, description: 'A user name and a password (RFC 7617).' },
    ),
  ),
  named<AuthInput<'bearer'>>('BearerAuthInput')(
    Type.Object(
      {
        type: kind('bearer'),
        token: Type.Optional(secret('The token.')),
        hasSecret: ignored(),
      },
      { ...closed, description: 'A token (RFC 6750).' },
    ),
  ),
  named<AuthInput<'headers'>>('HeadersAuthInput')(
    Type.Object(
      {
        type: kind('headers'),
        headers: Type.Optional(
          strings({ description: '1 to 10 names and values. Write-only, names and all.' }),
        ),
        hasSecret: ignored(),
      },
      { ...closed, description: 'Headers, such as `X-Api-Key`.' },
    ),
  ),
  named<AuthInput<'oauth2'>>('OAuth2AuthInput')(
    Type.Object(
      {
        type: kind('oauth2'),
        tokenUrl: tokenUrl(),
        clientId: clientId(),
        clientSecret: Type.Optional(secret('The secret of the client.')),
        scope: Type.Optional(scope()),
        audience: Type.Optional(audience(FOR_WHOM)),
        sendAs: Type.Optional(sendAs()),
        hasSecret: ignored(),
      },
      { ...closed, description: 'Client credentials (RFC 6749, 4.4).' },
    ),
  ),
  named<AuthInput<'oidc'>>('OidcAuthInput')(
    Type.Object(
      { type: kind('oidc'), audience: audience(AUDIENCE), hasSecret: ignored() },
      { ...closed, description: 'A JWT that the service signs.' },
    ),
  ),
];

/** One schema by its `type`, so that an error names a field of it. */
const AuthInputs = Type.Unsafe<Wire.DestinationAuthInput>({
  type: 'object',
  description: 'The way in which the service authenticates to the hosts.',
  allOf: [Type.Object({ type: oneOf(AUTH_TYPES, { description: 'How it authenticates.' }) })],
  discriminator: { propertyName: 'type' },
  oneOf: INPUTS.map(({ $id }) => ({ $ref: `${$id}#` })),
});

const limits = Type.Object(
  {
    maxConcurrent: Type.Optional(
      Type.Integer({ description: 'Requests at a time.', minimum: 1, maximum: 10_000 }),
    ),
    perSecond: Type.Optional(
      Type.Number({
        description: 'Requests a second. A burst has as many as one second, at most.',
        minimum: 0.01,
        maximum: 10_000,
      }),
    ),
  },
  { ...closed, description: 'They hold for the whole installation.' },
);

const certificate = () => text('PEM: the client certificate.', MOST.certificate);
const ca = () => text("PEM: the authorities that are trusted, instead of the system's.", MOST.ca);
const hosts = () =>
  Type.Array(Type.String({ description: 'A name or an address.', maxLength: MOST.host }), {
    description:
      'Names or addresses. `*.` in front stands for one label, and `:port` binds the port too.',
    minItems: 1,
    maxItems: 20,
  });
const allowHttp = () =>
  Type.Boolean({ description: 'Whether secrets are sent over http too. False by default.' });

export const DestinationInput = named<Wire.DestinationInput>('DestinationInput')(
  Type.Object(
    {
      hosts: hosts(),
      allowHttp: Type.Optional(allowHttp()),
      auth: Type.Optional(AuthInputs),
      tls: Type.Optional(
        Type.Object(
          {
            certificate: Type.Optional(certificate()),
            key: Type.Optional(
              text('PEM: the key of the client certificate. Write-only.', MOST.certificate),
            ),
            ca: Type.Optional(ca()),
            hasSecret: ignored(),
          },
          { ...closed, description: 'Certificates. Verification cannot be turned off.' },
        ),
      ),
      limits: Type.Optional(limits),
      ...ignoredResourceFields(),
    },
    {
      ...closed,
      description: 'A destination to put. A write-only field that is left out is kept.',
    },
  ),
);

const AUTHS = [
  proven<Auth<'basic'>>()(
    Type.Object({ type: kind('basic'), username: username(), hasSecret: hasSecret() }),
  ),
  proven<Auth<'bearer'>>()(Type.Object({ type: kind('bearer'), hasSecret: hasSecret() })),
  proven<Auth<'headers'>>()(Type.Object({ type: kind('headers'), hasSecret: hasSecret() })),
  proven<Auth<'oauth2'>>()(
    Type.Object({
      type: kind('oauth2'),
      tokenUrl: tokenUrl(),
      clientId: clientId(),
      hasSecret: hasSecret(),
      scope: Type.Optional(scope()),
      audience: Type.Optional(audience(FOR_WHOM)),
      sendAs: Type.Optional(sendAs()),
    }),
  ),
  proven<Auth<'oidc'>>()(Type.Object({ type: kind('oidc'), audience: audience(AUDIENCE) })),
];

export const Destination = named<Wire.Destination>('Destination')(
  Type.Object(
    {
      ...resourceFields('The name that schedules use.'),
      hosts: hosts(),
      allowHttp: Type.Optional(allowHttp()),
      auth: Type.Optional(
        Type.Unsafe<Wire.DestinationAuth>({
          description:
            'The way in which the service authenticates to the hosts, without its secrets.',
          anyOf: AUTHS,
        }),
      ),
      tls: Type.Optional(
        Type.Object(
          {
            certificate: Type.Optional(certificate()),
            ca: Type.Optional(ca()),
            hasSecret: hasSecret(),
          },
          { description: 'Certificates, without the key.' },
        ),
      ),
      limits: Type.Optional(limits),
    },
    { description: 'How hosts are talked to: as whom, with which certificates, and how fast.' },
  ),
);

export const DestinationQuery = proven<Wire.DestinationQuery>()(Type.Object(page));

export const DestinationPage = named<Wire.DestinationPage>('DestinationPage')(
  resourcePage(Destination, 'destination'),
);

export const DestinationDeletion = named<Wire.DestinationDeletion>('DestinationDeletion')(
  resourceDeletion('destination'),
);
