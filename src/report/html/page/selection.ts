import type { PageVariant } from '../charts/chart.ts';

/** More lines than this at once are a tangle: the first of the ranking are drawn, others on demand. */
const DRAWN = 10;

/** Which variants of a group the filters let through, and which of those the charts draw. */
export class Selection {
  readonly variants: readonly PageVariant[];
  private allowed: Set<number>;
  private drawn: Set<number>;
  private readonly listeners: (() => void)[] = [];

  constructor(variants: readonly PageVariant[]) {
    this.variants = variants;
    this.allowed = new Set(variants.keys());
    this.drawn = new Set([...variants.keys()].slice(0, DRAWN));
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  isAllowed(variant: number): boolean {
    return this.allowed.has(variant);
  }

  isDrawn(variant: number): boolean {
    return this.allowed.has(variant) && this.drawn.has(variant);
  }

  allowedVariants(): number[] {
    return [...this.variants.keys()].filter((variant) => this.allowed.has(variant));
  }

  allow(test: (variant: PageVariant) => boolean): void {
    this.allowed = new Set([...this.variants.keys()].filter((i) => test(this.variants[i] as PageVariant)));
    // With few variants, the drawn ones stay drawn. With many, or with none of them left, the first ones are drawn.
    if (this.variants.length > DRAWN || ![...this.allowed].some((variant) => this.drawn.has(variant))) {
      this.drawn = new Set(this.allowedVariants().slice(0, DRAWN));
    }
    this.tell();
  }

  draw(variant: number, isOn: boolean): void {
    if (isOn) this.drawn.add(variant);
    else this.drawn.delete(variant);
    this.tell();
  }

  drawOnly(variants: readonly number[]): void {
    this.drawn = new Set(variants);
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
