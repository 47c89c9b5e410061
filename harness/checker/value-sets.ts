/** Parameter name to value, only those that are known. */
export type Values = ReadonlyMap<string, string>;

export const NO_VALUES: Values = new Map();

/** Sets kept before all are forgotten and made anew: then equal values may be two objects for a while, which costs time only. */
export const VALUE_SETS_MAX = 200_000;

interface Node {
  readonly values: Values;
  /** Sets with one value more: by parameter, then by value. */
  more: Map<string, Map<string, Node>> | null;
}

/**
 * Values that were seen before are one object: those of an instance come again with every event of it. A tree, so that a
 * known set is found by its values without writing them together into one key.
 */
export class ValueSets {
  #root: Node = { values: NO_VALUES, more: null };
  #nodes = new WeakMap<Values, Node>();
  #size = 0;

  plus(values: Values, name: string, value: string): Values {
    const node = values.size === 0 ? this.#root : (this.#nodes.get(values) ?? this.#adopt(values));
    const known = node.more?.get(name)?.get(value);
    return known === undefined ? this.#add(node, name, value) : known.values;
  }

  #add(node: Node, name: string, value: string): Values {
    if (this.#size >= VALUE_SETS_MAX) this.#forget();
    this.#size++;
    const found: Node = { values: new Map([...node.values, [name, value]]), more: null };
    node.more ??= new Map<string, Map<string, Node>>();
    let byValue = node.more.get(name);
    if (byValue === undefined) node.more.set(name, (byValue = new Map<string, Node>()));
    byValue.set(value, found);
    this.#nodes.set(found.values, found);
    return found.values;
  }

  #adopt(values: Values): Node {
    const node: Node = { values, more: null };
    this.#nodes.set(values, node);
    return node;
  }

  #forget(): void {
    this.#root = { values: NO_VALUES, more: null };
    this.#nodes = new WeakMap<Values, Node>();
    this.#size = 0;
  }
}
