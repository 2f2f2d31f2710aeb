// One line of the table of figures, and the few statistics its lines are made of.

export interface Row {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  /** What `measured` stands beside, in the same unit and measured in the same run. */
  readonly yardstick?: number;
  /** Held against `measured`, or against the ratio when `of` says so. */
  readonly goal?: { readonly at: 'most' | 'least'; readonly value: number; readonly of?: 'ratio' };
  /** Why a row has no figure, or what it rests on. */
  readonly note?: string;
}

/** Measured over yardstick; undefined without one. */
export function ratioOf({ measured, yardstick }: Row): number | undefined {
  return yardstick === undefined || yardstick === 0 ? undefined : measured / yardstick;
}

/** True when the row reaches its goal; undefined without one. */
export function reached(row: Row): boolean | undefined {
  const { goal } = row;
  if (goal === undefined) return undefined;
  const value = goal.of === 'ratio' ? ratioOf(row) : row.measured;
  if (value === undefined || Number.isNaN(value)) return false;
  return goal.at === 'most' ? value <= goal.value : value >= goal.value;
}

/** The value below which `part` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
