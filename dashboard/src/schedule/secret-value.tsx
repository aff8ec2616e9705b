import { Button } from '@mantine/core';
import { useState } from 'react';
import { Facts } from '../parts/facts.tsx';
import { HIDDEN_VALUE, isSecretName, isUntold } from './secret-names.ts';

/** Headers, those that look like secrets behind a button. */
export function HeaderFacts({ headers }: { headers: Record<string, string> }) {
  return (
    <Facts
      facts={Object.entries(headers).map(([name, value]) => [
        name,
        isSecretName(name) && !isUntold(value) ? (
          <SecretValue key={name} name={name} value={value} />
        ) : (
          value
        ),
      ])}
    />
  );
}

/** A value that is shown to who asks for it, and not to whoever passes by. */
export function SecretValue({ name, value }: { name: string; value: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      {isShown ? value : HIDDEN_VALUE}{' '}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide' : 'Show'}
      </Button>
    </>
  );
}
