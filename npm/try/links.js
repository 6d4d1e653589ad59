// The links of a document as the module lists them; each is made when it is shown.

class Links extends Records {
  url(link) {
    return this.text(this.first(link) + AT.url);
  }

  /** How many would be absolute or relative with the URL of the document. It helps no other scheme, and no empty reference. */
  needing(form) {
    const isAbsolute = !form || form === 'absolute';
    let count = 0;
    for (let link = 0; link < this.length; link++) {
      const at = this.first(link);
      if (this.number(at + (isAbsolute ? AT.url : AT.base)) !== null) continue;
      const reference = this.text(at + AT.reference).trim();
      const helps = /^[a-z][a-z\d+.-]*:/i.test(reference) ? !isAbsolute && /^https?:/i.test(reference) && URL.canParse(reference) : reference !== '';
      if (helps) count++;
    }
    return count;
  }

  /** Start and end of the value in the document, and of a document inside a value those of that; -1 if it has none. */
  start(link) {
    return this.#end(link, 0);
  }

  end(link) {
    return this.#end(link, 1);
  }

  #end(link, at) {
    const first = this.first(link) + at;
    return this.number(first + AT.enclosing) ?? this.number(first + AT.span) ?? -1;
  }

  get(link) {
    return readLink(this, this.first(link));
  }
}
