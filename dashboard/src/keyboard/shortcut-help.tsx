import { Kbd, Stack, Switch, Text, Title } from '@mantine/core';
import { Dialog } from '../parts/dialog.tsx';
import { useFlag } from '../parts/flag.ts';
import { singleKeys } from '../settings.ts';
import { keyText, type Shortcut, shortcuts } from './shortcuts.ts';

/** All keys of this page, and the switch for those that act alone. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const table = useFlag(shortcuts).filter(({ key }) => key !== undefined);
  const areOn = useFlag(singleKeys) === 'on';
  return (
    <Dialog opened title="Keys" onClose={onClose}>
      <Stack gap="md">
        {Array.from(
          Map.groupBy(table, ({ where }) => where),
          ([where, those]) => (
            <Group key={where} where={where} those={those} />
          ),
        )}
        <Switch
          label="Keys that act alone"
          description="Off: only keys together with Ctrl or Cmd act. This browser remembers it."
          checked={areOn}
          onChange={event => singleKeys.set(event.currentTarget.checked ? 'on' : 'off')}
        />
      </Stack>
    </Dialog>
  );
}

function Group({ where, those }: { where: string; those: Shortcut[] }) {
  return (
    <section aria-label={where}>
      <Title order={3} size="sm" mb={4}>
        {where}
      </Title>
      <dl className="keys">
        {those.map(({ key, name }) => (
          <div key={key}>
            <dt>
              <Kbd>{keyText(key!)}</Kbd>
            </dt>
            <dd>
              <Text span size="sm">
                {name}
              </Text>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
