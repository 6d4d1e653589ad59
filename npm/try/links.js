// The links of a document as the module lists them; each is made when it is shown.

class Links {
  #text;
  #records;
  #names = [];
  #first;

  constructor(module) {
    this.#text = decoder.decode(bytesOf(module));
    this.#records = recordsOf(module).slice();
    const count = this.#records[0];
    this.#first = count + 1;
    this.length = (this.#records.length - this.#first) / LINK;
    // Names follow the texts of the last link.
    let end = this.#end(this.length - 1);
    for (let name = 1; name <= count; name++) this.#names.push(this.#text.slice(end, end = this.#records[name]));
  }

  /** A number of a link, as `readLinks` has them. */
  #number(link, at) {
    return this.#records[this.#first + link * LINK + at];
  }

  /** Where its texts end. */
  #end(link) {
    if (link < 0) return 0;
    const end = this.#number(link, 6);
    return end === NONE ? this.#number(link, 5) : end;
  }

  #reference(link) {
    return this.#text.slice(this.#end(link - 1), this.#number(link, 5));
  }

  url(link) {
    const end = this.#number(link, 6);
    return end === NONE ? null : this.#text.slice(this.#number(link, 5), end);
  }

  /** How many would be absolute or relative with the URL of the document. It helps no other scheme, and no empty reference. */
  needing(form) {
    const isAbsolute = !form || form === 'absolute';
    let count = 0;
    for (let link = 0; link < this.length; link++) {
      if (this.#number(link, isAbsolute ? 6 : 3) !== NONE) continue;
      const reference = this.#reference(link).trim();
      const helps = /^[a-z][a-z\d+.-]*:/i.test(reference) ? !isAbsolute && /^https?:/i.test(reference) && URL.canParse(reference) : reference !== '';
      if (helps) count++;
    }
    return count;
  }

  /** Start and end of the value in the document, and of a document inside a value those of that; -1 if it has none. */
  start(link) {
    return this.#span(link, 0);
  }

  end(link) {
    return this.#span(link, 1);
  }

  #span(link, at) {
    const outer = this.#number(link, 11 + at);
    return (outer === NONE ? this.#number(link, 7 + at) : outer) | 0;
  }

  get(link) {
    const name = (at) => this.#names[this.#number(link, at)];
    return {
      line: this.#number(link, 9), element: name(0), attribute: name(1), baseSource: name(4), url: this.url(link), reference: this.#reference(link),
    };
  }
}
