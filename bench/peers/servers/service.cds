entity Parents {
  key ID       : Integer;
      name     : String not null;
      quantity : Integer not null;
      children : Composition of many Children on children.parent = $self;
}

entity Children {
  key ID       : Integer;
      name     : String not null;
      quantity : Integer not null;
      parent   : Association to Parents;
}

@path: '/odata'
@requires: 'any'
service Bench {
  entity Parent as projection on Parents;
}
