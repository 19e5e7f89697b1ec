update "album" as "t" set "title" = "x"."title"
from (select value as "crud_row", value ->> 0 as "id", value ->> 1 as "title"
  from json_each(?)
  limit -1) as "x"
where "t"."id" = "x"."id"
-- ["[[111,\"0\"],[112,\"1\"],[113,\"2\"],[114,\"3\"],[115,\"4\"],[116,\"5\"],[117,\"6\"],[118,\"7\"],[119,\"8\"]]"]
