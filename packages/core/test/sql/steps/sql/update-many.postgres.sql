update "album" as "t" set "title" = "x"."title"
from (select "crud_record"."id", "crud_record"."title"
  from unnest(array(select jsonb_populate_recordset((select "crud_type"
          from "album" as "crud_type"
          where false), $1::text::jsonb))) as "crud_record") as "x"
where "t"."id" = "x"."id"
-- ["[{\"id\":111,\"title\":\"0\"},{\"id\":112,\"title\":\"1\"},{\"id\":113,\"title\":\"2\"},{\"id\":114,\"title\":\"3\"},{\"id\":115,\"title\":\"4\"},{\"id\":116,\"title\":\"5\"},{\"id\":117,\"title\":\"6\"},{\"id\":118,\"title\":\"7\"},{\"id\":119,\"title\":\"8\"}]"]
