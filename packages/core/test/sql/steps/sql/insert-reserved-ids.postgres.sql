insert into "group" ("id", "aboveId", "name") overriding system value select "x"."id", "x"."aboveId", "x"."name"
from (select "crud_record"."id", "crud_record"."aboveId", "crud_record"."name"
  from jsonb_populate_recordset((select "crud_type"
      from "group" as "crud_type"
      where false), $1::text::jsonb) as "crud_record") as "x"
-- ["[{\"id\":31,\"aboveId\":null,\"name\":\"a\"},{\"id\":32,\"aboveId\":null,\"name\":\"b\"},{\"id\":33,\"aboveId\":32,\"name\":\"c\"}]"]
