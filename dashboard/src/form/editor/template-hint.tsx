import { Anchor, Text } from '@mantine/core';
import type { Draft } from '../draft.ts';
import { hasNames } from './template-names.ts';

/** Names of templates without templates: they would be sent as they stand there. */
export function TemplateHint({
  draft,
  set,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}) {
  const { template, url, body, headers, data } = draft;
  const texts = [url, body, ...[...headers, ...data].map(([, value]) => value)];
  if (template === true || !texts.some(hasNames)) return null;
  return (
    <Text size="sm" className="muted" role="status">
      Names in braces are sent as they stand there.{' '}
      <Anchor
        component="button"
        type="button"
        size="sm"
        underline="always"
        onClick={() => set({ template: true })}
      >
        Replace them
      </Anchor>
    </Text>
  );
}
