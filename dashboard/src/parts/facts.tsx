import { Text } from '@mantine/core';

/** Names and values, those that are there. */
export function Facts({ facts }: { facts: [string, React.ReactNode][] }) {
  return (
    <dl
      style={{
        display: 'grid',
        gridTemplateColumns: 'max-content 1fr',
        gap: '4px 16px',
        margin: 0,
      }}
    >
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <Text component="dt" size="sm" className="muted">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="wrap numbers">
              {value}
            </Text>
          </div>
        ))}
    </dl>
  );
}
