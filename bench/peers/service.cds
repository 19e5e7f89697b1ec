entity parent {
  key id       : Integer;
      name     : String not null;
      quantity : Integer not null;
      children : Composition of many child on children.parent = $self;
}

entity child {
  key id       : Integer;
      name     : String not null;
      quantity : Integer not null;
      parent   : Association to parent;
}

@path: '/odata'
@requires: 'any'
service Bench {
  entity Parents as projection on parent;
}
