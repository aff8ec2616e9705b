import type * as Wire from '@punctual/client';

export const DESTINATION_NAME = 'billing';

export const EXAMPLE_DESTINATION_INPUT = {
  hosts: ['api.example.com', '*.billing.example.com'],
  auth: { type: 'bearer', token: 'pk_live_4eC39HqLyjWDarjtT1zdp7dc' },
  limits: { maxConcurrent: 10, perSecond: 5 },
} satisfies Wire.DestinationInput;

export const EXAMPLE_DESTINATION = {
  name: DESTINATION_NAME,
  createdAt: '2026-06-01T09:00:00.000Z',
  usedBy: 0,
  hosts: ['api.example.com', '*.billing.example.com'],
  auth: { type: 'bearer', hasSecret: true },
  limits: { maxConcurrent: 10, perSecond: 5 },
} satisfies Wire.Destination;
