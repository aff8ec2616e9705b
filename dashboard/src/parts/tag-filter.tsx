import { Group, TextInput } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { SnoozeMenu } from '../change/snooze-menu.tsx';

/** Only schedules with all of these tags: `team:billing`, or `team` for any value. */
export function TagFilter({
  tags,
  onChange,
}: {
  tags: string[];
  onChange: (tags: string[]) => void;
}) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tag = text.trim();
    if (tag === '') return;
    setText('');
    if (!tags.includes(tag)) onChange([...tags, tag]);
  };
  const [only] = tags;
  return (
    <Group gap={6} style={{ flex: tags.length > 0 ? '1 1 100%' : '0 1 150px' }}>
      <form onSubmit={submit} style={{ flex: '0 1 150px' }}>
        <TextInput
          aria-label="With the tag"
          placeholder="Tag…"
          title="A tag such as team:billing. Enter takes it as a filter."
          leftSection={<IconTag size={16} aria-hidden />}
          spellCheck={false}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
      </form>
      {tags.map(tag => (
        <button
          key={tag}
          type="button"
          className="tag"
          aria-label={`Without the tag ${tag}`}
          onClick={() => onChange(tags.filter(each => each !== tag))}
        >
          {tag} ×
        </button>
      ))}
      {tags.length === 1 && (
        <SnoozeMenu of={{ tag: only! }} size="xs" name={`Snooze all with ${only}`} />
      )}
    </Group>
  );
}
