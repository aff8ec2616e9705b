import { Button, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { schedulesText } from '../parts/numbers.ts';
import { Asked, Card, Empty, Page } from '../parts/page.tsx';
import { capital, type NamedResource, type ResourceKind } from './named-resource.ts';

/** The page of all resources of a kind. */
export function NamedList<Item extends NamedResource>({
  kind,
  query,
  about,
  first,
  heads,
  children,
}: {
  kind: ResourceKind;
  query: UseQueryResult<Item[]>;
  about: string;
  /** Says how to begin, while there are none. */
  first: string;
  /** The heads of the columns between its name and its use. */
  heads: string[];
  /** The cells of these columns. */
  children: (item: Item) => ReactNode;
}) {
  return (
    <Page
      name={`${capital(kind)}s`}
      actions={
        <Button component={Link} href={`/${kind}s/new`}>
          New {kind}
        </Button>
      }
    >
      <Text className="muted" size="sm" maw={620}>
        {about}
      </Text>
      <Card padded={false}>
        <Asked query={query} height={200}>
          {items =>
            items.length === 0 ? (
              <Empty title={`There are no ${kind}s yet`}>{first}</Empty>
            ) : (
              <table className="rows">
                <thead>
                  <tr>
                    {[capital(kind), ...heads, 'Used by'].map(head => (
                      <th key={head}>{head}</th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {items.map(item => (
                    <Row key={item.name} kind={kind} item={item}>
                      {children(item)}
                    </Row>
                  ))}
                </tbody>
              </table>
            )
          }
        </Asked>
      </Card>
    </Page>
  );
}

function Row({
  kind,
  item: { name, usedBy },
  children,
}: {
  kind: ResourceKind;
  item: NamedResource;
  children: ReactNode;
}) {
  return (
    <tr>
      <td style={{ whiteSpace: 'nowrap' }}>
        <Link href={`/${kind}s/${name}`} className="link">
          {name}
        </Link>
      </td>
      {children}
      <td className="numbers" data-label="Used by" style={{ whiteSpace: 'nowrap' }}>
        <Text size="sm" span>
          {schedulesText(usedBy)}
        </Text>
      </td>
    </tr>
  );
}
