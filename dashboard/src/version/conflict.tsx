import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Draft } from '../form/draft.ts';
import { type Conflict, FIELD_NAMES, type Field, fieldText } from './merge.ts';

/** Somebody else has changed the schedule since the typing began: field by field, theirs or mine. */
export function ConflictBox({
  conflicts,
  base,
  mine,
  theirs,
  askedAgain,
  onResolved,
}: {
  conflicts: Conflict[];
  base: Draft;
  mine: Draft;
  theirs: Draft;
  /** Grows with each attempt to save: then this is what is to be done first. */
  askedAgain: number;
  /** @param taken those of their fields that are taken */
  onResolved: (taken: Field[]) => void;
}) {
  const [choices, setChoices] = useState<Partial<Record<Field, 'theirs' | 'mine'>>>({});
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (askedAgain > 0) box.current?.focus();
  }, [askedAgain]);
  const choiceOf = ({ field, isBoth }: Conflict) => choices[field] ?? (isBoth ? null : 'theirs');
  const isDecided = conflicts.every(each => choiceOf(each) !== null);
  const taken = conflicts.filter(each => choiceOf(each) === 'theirs').map(({ field }) => field);
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="orange"
      variant="outline"
      role="alert"
      title="Somebody else has changed this schedule"
    >
      <Stack gap="sm">
        <Text size="sm">
          Since you began, these were stored. Nothing of theirs or of yours is lost: choose, and
          save.
        </Text>
        {conflicts.map(conflict => (
          <Radio.Group
            key={conflict.field}
            label={FIELD_NAMES[conflict.field]}
            description={`It was: ${fieldText(base, conflict.field)}`}
            value={choiceOf(conflict)}
            onChange={choice =>
              setChoices({ ...choices, [conflict.field]: choice as 'theirs' | 'mine' })
            }
            classNames={{ description: 'wrap' }}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="theirs"
                classNames={{ label: 'wrap' }}
                label={`Theirs: ${fieldText(theirs, conflict.field)}`}
              />
              <Radio
                value="mine"
                classNames={{ label: 'wrap' }}
                label={`${conflict.isBoth ? 'Mine' : 'As it was'}: ${fieldText(mine, conflict.field)}`}
              />
            </Stack>
          </Radio.Group>
        ))}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={!isDecided}
            onClick={() => onResolved(taken)}
          >
            Go on with this
          </Button>
          {!isDecided && (
            <Text size="sm" className="muted">
              Both of you changed a field: choose one.
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
