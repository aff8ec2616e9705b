/** An optional property that is absent where it is unset. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

type NamesOfSet<All> = {
  [Name in keyof All]-?: undefined extends All[Name] ? never : Name;
}[keyof All];

/** These properties without those that are unset. */
type Given<All> = Pick<All, NamesOfSet<All>> & {
  [Name in Exclude<keyof All, NamesOfSet<All>>]?: Exclude<All[Name], undefined>;
};

/** In their order. As many spreads of optional properties would take three times as long. */
export function allGiven<All extends object>(all: All): Given<All> {
  const set: Partial<All> = {};
  for (const name in all) if (all[name] !== undefined) set[name] = all[name];
  return set as Given<All>;
}
