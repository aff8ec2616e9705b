import { Text } from '@mantine/core';
import type { Destination } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { destinationsQuery } from '../destination/destination-queries.ts';
import { authText, limitsText, tlsText } from '../destination/destination-words.ts';
import { NamedList } from '../named/named-list.tsx';

/** All destinations: how hosts are talked to. */
export function Destinations() {
  return (
    <NamedList
      kind="destination"
      query={useQuery(destinationsQuery)}
      about="How hosts are talked to: as whom, with which certificates, and how fast. A schedule names a destination, so no secret stands in a schedule."
      first="Make one for each host that wants a token, a password or a certificate."
      heads={['Hosts', 'Signs in with']}
    >
      {destination => <Cells destination={destination} />}
    </NamedList>
  );
}

function Cells({ destination }: { destination: Destination }) {
  const { hosts, auth } = destination;
  const more = [tlsText(destination), limitsText(destination)].filter(text => text !== '');
  return (
    <>
      <td className="grow">
        <Text size="sm" className="clip" title={hosts.join('\n')}>
          {hosts.join(', ')}
        </Text>
      </td>
      <td className="line" style={{ maxWidth: 360 }}>
        <Text size="sm" className="clip" title={more.join('; ')}>
          {authText(auth)}
          {more.length > 0 && <span className="muted"> · {more.join(' · ')}</span>}
        </Text>
      </td>
    </>
  );
}
